class OwnError(LookupError):
    pass


e = OwnError("two\nlines")
e.add_note("a note")
raise e
