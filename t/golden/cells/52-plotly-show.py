import plotly.graph_objects as go

fig = go.Figure(go.Bar(x=["a", "b"], y=[3, 5]), layout={"template": "none"})
fig.show()
print("end")
