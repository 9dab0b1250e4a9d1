from IPython.display import HTML, JSON, SVG, Javascript, Latex, Markdown, Math

display(HTML("<b>bold &amp; <i>é</i></b>"))
display(Markdown("# Title\n\n*text*"))
display(SVG('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'))
display(Latex(r"$\frac{1}{2}$"), Math(r"x^2"))
display(JSON({"a": [1, 2.5, None, True], "b": {"ü": "x"}}))
Javascript("console.log(1)")
