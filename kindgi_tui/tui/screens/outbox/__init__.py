"""The outbox screen."""
