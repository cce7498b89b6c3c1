"""What can go wrong, as exceptions and warnings."""


class SaltusError(Exception):
    """Something that Saltus refuses, with the reason.

    Attributes: ``status`` ("ERR_MODEL"), ``file`` and ``line`` of the script, or of the Python file
    that built the model; "" and 0 where there is none.
    """

    def __init__(self, message, status="ERR_ARGUMENT", file="", line=0):
        place = f"{file}:{line}: " if file and line else f"{file}: " if file else ""
        super().__init__(place + message)
        self.message, self.status, self.file, self.line = message, status, file, line


class ArgumentError(SaltusError, ValueError):
    """A wrong argument, such as a parameter that the model does not have."""


class ModelError(SaltusError):
    """The model is wrong."""


class GradientError(SaltusError):
    """There is no gradient here: an event grazes, or happens together with another one."""


class UnfinishedError(SaltusError):
    """The motion did not reach its end."""


class ScriptFileError(SaltusError, OSError):
    """A file cannot be read or written."""


class SaltusMemoryError(SaltusError, MemoryError):
    """There is not enough memory."""


class SaltusWarning(UserWarning):
    """Something to know about a model or a motion."""


KINDS = {
    "ERR_ARGUMENT": ArgumentError,
    "ERR_FILE": ScriptFileError,
    "ERR_MEMORY": SaltusMemoryError,
    "ERR_MODEL": ModelError,
    "ERR_GRAZING": GradientError,
    "ERR_NO_GRADIENT": GradientError,
    "ERR_UNFINISHED": UnfinishedError,
}
