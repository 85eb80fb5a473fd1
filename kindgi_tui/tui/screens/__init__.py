"""The screens of the terminal face, each in a folder with its actions and its stylesheet."""
