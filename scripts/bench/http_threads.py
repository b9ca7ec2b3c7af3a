"""Eight threads that post each row of a CSV file: python3 http_threads.py http.client|requests FILE URL"""

import csv
import queue
import sys
import threading
from http.client import HTTPConnection
from urllib.parse import urlencode, urlsplit

library, path, url = sys.argv[1:]
THREADS = 8
PATH = "/v1/request/create"
HEADERS = {"authorization": "Bearer bench", "content-type": "application/x-www-form-urlencoded"}
rows = queue.Queue(maxsize=1000)
failures = []


def body(row):
    return urlencode(
        {
            "country": row["Country"],
            "lang": "pt",
            "location": f"{row['Postal Code']} {row['City']}",
            "fullname": row["Full Name"],
            "email": row["Email"],
            "phone": row["Phone Number"],
            "request_text": row["Message"],
        }
    )


def poster():
    if library == "requests":
        import requests

        session = requests.Session()
        return lambda text: session.post(url + PATH, data=text, headers=HEADERS).status_code
    connection = HTTPConnection(urlsplit(url).netloc)

    def post(text):
        connection.request("POST", PATH, text, HEADERS)
        answer = connection.getresponse()
        answer.read()
        return answer.status

    return post


def work():
    post = poster()
    while (row := rows.get()) is not None:
        status = post(body(row))
        if status > 299:
            failures.append(status)


threads = [threading.Thread(target=work) for _ in range(THREADS)]
for thread in threads:
    thread.start()
with open(path, newline="", encoding="utf-8") as file:
    for row in csv.DictReader(file):
        rows.put(row)
for _ in threads:
    rows.put(None)
for thread in threads:
    thread.join()
sys.exit(1 if failures else 0)
