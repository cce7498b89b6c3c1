"""Arrays whose places have names."""
import numpy as np


class Named(np.ndarray):
    """A NumPy array whose places have names: ``run.gradient["energy", "g"]``.

    ``axes`` has a tuple of names for each dimension; with numbers and slices it is a plain array.
    """

    axes = ()

    def __getitem__(self, key):
        if key.__class__ is str and len(self.axes) == 1 and key in self.axes[0]:  # quickly, as it is used most
            return np.ndarray.__getitem__(self, self.axes[0].index(key))
        if self.axes:
            keys = key if isinstance(key, tuple) else (key,)
            if any(isinstance(k, str) for k in keys):
                return self._named(keys)
        found = np.ndarray.__getitem__(self, key)
        return found.view(np.ndarray) if isinstance(found, Named) else found

    def _named(self, keys):
        places = [self._index(k, i) if isinstance(k, str) else k for i, k in enumerate(keys)]
        found = np.asarray(self)[tuple(places)]
        if isinstance(found, np.ndarray) and all(isinstance(k, str) for k in keys):
            return name(found, *self.axes[len(keys):])
        return found

    def _index(self, key, axis):
        try:
            return self.axes[axis].index(key)
        except (ValueError, IndexError):
            names = ", ".join(self.axes[axis]) if axis < len(self.axes) else "no names"
            other = [i for i, names_of in enumerate(self.axes) if key in names_of]
            hint = f"; {key!r} is a name of dimension {other[0]}" if other else ""
            raise KeyError(f"there is no {key!r} in dimension {axis}{hint}: there are {names}") from None

    def __array_wrap__(self, array, context=None):
        return np.ndarray.__array_wrap__(self, array, context).view(np.ndarray)[()]

    def to_dict(self):
        """The values by their names; of a table, a dictionary of dictionaries."""
        if self.ndim == 1:
            return dict(zip(self.axes[0], self.tolist()))
        return {k: name(np.asarray(self)[i], *self.axes[1:]).to_dict() for i, k in enumerate(self.axes[0])}

    def to_frame(self):
        """The array as a pandas Series or DataFrame."""
        import pandas as pd
        if self.ndim == 1:
            return pd.Series(np.asarray(self), index=list(self.axes[0]))
        return pd.DataFrame(np.asarray(self), index=list(self.axes[0]), columns=list(self.axes[1]))

    def __repr__(self):
        if not self.axes or self.ndim > 2:
            return np.ndarray.__repr__(np.asarray(self))
        try:
            return repr(self.to_frame())
        except ImportError:
            return repr(self.to_dict())

    def __str__(self):
        return repr(self)

    def _repr_html_(self):
        if not self.axes or self.ndim > 2:
            return None
        frame = self.to_frame()
        return (frame if self.ndim == 2 else frame.to_frame("value"))._repr_html_()

    def __reduce__(self):
        return _rebuild, (np.asarray(self), self.axes)


def _rebuild(array, axes):
    return name(array, *axes)


def room(*axes):
    """A new array with these names, without values."""
    named = np.ndarray.__new__(Named, tuple(map(len, axes)))
    named.axes = axes
    return named


def name(array, *axes):
    """Gives names to the places of an array, which is not copied."""
    named = array.view(Named)
    named.axes = axes
    return named
