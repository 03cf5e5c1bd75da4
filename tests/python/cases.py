"""Cases of a script that runs below Bankshot: each is told by itself, PASS or FAIL, and the script goes on."""

failed = []


def case(function):
    try:
        function()
        print("PASS", function.__name__)
    except Exception as error:  # noqa: BLE001
        failed.append(function.__name__)
        print("FAIL", function.__name__, type(error).__name__, error)
    return function
