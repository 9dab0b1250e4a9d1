import plotly.express as px

px.line(x=[1, 2], y=[3, 4], title="line", template="none")
