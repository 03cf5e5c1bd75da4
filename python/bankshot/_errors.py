"""The one exception of the package."""


class Error(Exception):
    """Something cannot be done. `reason` says what and why, `remedy` what to do about it, or is empty."""

    def __init__(self, reason: str, remedy: str = ""):
        super().__init__(reason, remedy)
        self.reason = reason
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.reason}; {self.remedy}" if self.remedy else self.reason
