class Bad:
    def __repr__(self):
        return "Bad()"

    def _repr_html_(self):
        raise ValueError("no html")


display(Bad())
print("after")
