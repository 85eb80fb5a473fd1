"""What is kept between starts, and what a person may set (DESIGN section 3)."""
