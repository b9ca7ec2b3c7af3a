"""Eight threads that post each row of a CSV file: python3 http_threads.py FILE URL"""

import csv
import queue
import sys
import threading
from http.client import HTTPConnection
from urllib.parse import urlencode, urlsplit

path, url = sys.argv[1:]
THREADS = 8
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


def work():
    connection = HTTPConnection(urlsplit(url).netloc)
    while (row := rows.get()) is not None:
        connection.request("POST", "/v1/request/create", body(row), HEADERS)
        answer = connection.getresponse()
        answer.read()
        if answer.status > 299:
            failures.append(answer.status)


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
