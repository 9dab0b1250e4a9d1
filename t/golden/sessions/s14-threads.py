import threading

go, done = threading.Event(), threading.Event()


def late():
    go.wait()
    print("from the thread")
    done.set()


threading.Thread(target=late, daemon=True).start()
# %%
print("between")
# %%
go.set()
print(done.wait(10))
