/** Returns a function that computes the value of each object once and keeps it as long as the object itself exists. */
export function memoize<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, { readonly value: Value }>();
  return (key) => {
    let made = known.get(key);
    if (!made) {
      made = { value: make(key) };
      known.set(key, made);
    }
    return made.value;
  };
}
