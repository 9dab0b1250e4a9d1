import threading

if __name__ == "__main__":
    thread = threading.Thread(target=print, args=("from a thread",))
    thread.start()
    thread.join()
