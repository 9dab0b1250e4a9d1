class Odd:
    def __repr__(self):
        return "Odd()"

    def _repr_html_(self):
        return None

    def _repr_latex_(self):
        return 7


Odd()
