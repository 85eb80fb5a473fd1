"""What a person is doing, without a screen: plain asyncio that every face can use (DESIGN section 3)."""
