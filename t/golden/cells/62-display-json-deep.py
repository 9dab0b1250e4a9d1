from IPython.display import JSON

x = "bottom"
for i in range(70):
    x = [x]
JSON({"deep": x})
