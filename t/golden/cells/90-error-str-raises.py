class Bad(Exception):
    def __str__(self):
        raise ValueError("no text")


raise Bad("x")
