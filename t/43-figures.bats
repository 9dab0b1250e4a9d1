# SPDX-License-Identifier: Apache-2.0
# bats file_tags=sandbox
# What a program draws: matplotlib's figures, their numbers, plotly.

load helper
load results/helper

@test "a shown figure is one PNG, without a warning, and a file of DIR" {
	cat >plot.py <<-'P'
		import os, pathlib
		import matplotlib.pyplot as plt
		plt.plot([1, 3, 2])
		plt.title("t")
		plt.show()
		p = pathlib.Path.home() / ".cache"
		p.mkdir(exist_ok=True)
		print(os.access(pathlib.Path.home(), os.W_OK), os.access("/tmp", os.W_OK))
	P
	for way in --script --cell; do
		cell -n $way plot.py
		[ "$(of '(.results | length), .stderr, .stdout')" = '1

True True' ]
		[ "$(of '.results[0].png' | base64 -d | head -c 4 | tail -c 3)" = PNG ]
		[ "$(of '.png == .results[0].png')" = true ]
		run -0 --separate-stderr pai -n $way -o "out$way" plot.py
		[ -z "$stderr" ]
		[ "$(ls "out$way")" = figure-1.png ]
		[ "$(head -c 4 "out$way/figure-1.png" | tail -c 3)" = PNG ]
	done
	# a cell tells people where it is
	run -0 pai -n --cell -o out plot.py
	[ "${lines[0]}" = 'figure-1.png: <Figure size 640x480 with 1 Axes>' ]
}

@test "as many pictures as figures: four, one that is the last expression, those before an error" {
	for show in '    plt.show()' ''; do
		printf '%s\n' 'import matplotlib.pyplot as plt' 'for i in range(4):' '    plt.figure()' \
			'    plt.plot([0, i + 1])' '    plt.title(f"figure {i}")' "$show" | cell
		[ "$(of '[.results[].png | select(.)] | unique | length')" = 4 ]
		[ "$(of '.results | length')" = 4 ]
	done
	printf 'import matplotlib.pyplot as plt\nfig = plt.figure()\nfig.subplots().plot([1, 2])\nfig\n' | cell
	[ "$(of '.results | length')" = 1 ]
	printf 'import matplotlib.pyplot as plt\nplt.plot([1, 2, 3])\n1 / 0\n' | cell -1
	[ "$(of '(.results | length), .error.name')" = '1
ZeroDivisionError' ]
	# what is saved after it was shown is not blank
	cell -o out <<-'P'
		import matplotlib.pyplot as plt
		plt.plot([1, 5, 2], linewidth=20)
		plt.savefig("before.png"); plt.show(); plt.savefig("after.png")
		from PIL import Image
		a, b = (Image.open(n).convert("L").histogram()[:128] for n in ("before.png", "after.png"))
		print(sum(a) > 1000, sum(b) > 1000)
		plt.plot([1, 2]);
	P
	[ "$(of '.stdout, (.results | length)')" = 'True True

2' ]
}

@test "labels in any script are drawn" {
	cell <<-'P'
		import warnings
		import matplotlib.pyplot as plt
		warnings.filterwarnings("error", message="Glyph")
		plt.title("\u58f2\u4e0a \u9500\u552e \ud55c\uad6d\uc5b4 \u0395\u03bb \u0416 \u2212\u20ac")
		plt.plot([1, 2], label="\u58f2\u4e0a")
		plt.legend()
		plt.show()
	P
	[ "$(of '.stderr, (.results | length)')" = '
1' ]
}

@test "plotly's figures are HTML and JSON, without a browser" {
	cat >bars.py <<-'P'
		import plotly.graph_objects as go
		fig = go.Figure(go.Bar(x=["a", "b"], y=[3, 5]))
		fig.show()
		print("end")
	P
	for way in --script --cell; do
		cell -n -t 30 $way bars.py
		[ "$(of '.stdout, (.results | length)')" = 'end

1' ]
		of '.results[0].html' | grep -q '"y":\[3,5\]'
		[ "$(of '.results[0].extra["application/vnd.plotly.v1+json"].data[0].y | tostring')" = '[3,5]' ]
	done
	printf 'import plotly.express as px\npx.line(x=[1,2], y=[3,4])\n' | cell
	[ "$(of '(.results | length), .results[0].is_main_result')" = '1
true' ]
	run -0 --separate-stderr pai -n -t 30 bars.py
	[ "$output" = end ]
}

@test "the numbers of a chart come with it" {
	cell <<-'P'
		import matplotlib.pyplot as plt
		fig, ax = plt.subplots()
		ax.plot([1, 2], [3, 4], label="a"); ax.set_title("T"); ax.set_xlabel("Time (s)")
		plt.show()
		plt.bar(["p", "q"], [3, 5]); plt.show()
		plt.pie([1, 3], labels=["u", "v"]); plt.show()
		plt.scatter([1, 2], [5, 6]); plt.show()
		plt.boxplot([[1, 2, 3, 4, 100]]); plt.show()
	P
	[ "$(of '[.results[].chart.type] | tostring')" = '["line","bar","pie","scatter","box_and_whisker"]' ]
	[ "$(of '.results[0].chart | [.title, .x_unit, .elements[0].label, .elements[0].points] | tostring')" = '["T","s","a",[[1,3],[2,4]]]' ]
	[ "$(of '.results[1].chart.elements | map([.label, .value]) | tostring')" = '[["p",3],["q",5]]' ]
	[ "$(of '.results[2].chart.elements | map([.label, .angle | tostring]) | tostring' | tr -d '\\"')" = '[[u,90],[v,270]]' ]
	[ "$(of '.results[4].chart.elements[0] | [.median, .outliers] | tostring')" = '[3,[100]]' ]
}
