from matplotlib.figure import Figure

fig = Figure(figsize=(4, 3))
fig.subplots().plot([1, 2, 3])
fig
