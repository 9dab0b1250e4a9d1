import sympy

x = sympy.symbols("x")
display(sympy.Integral(sympy.sqrt(1 / x), x))
sympy.Matrix([[x**2, 1], [0, sympy.pi / 2]])
