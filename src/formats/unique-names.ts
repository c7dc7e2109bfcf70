/**
 * Names without a repetition: of two columns with one name the later keeps it, and the earlier is called
 * `Field_<its position>`, as old clients know it.
 */
export const toUniqueNames = (names: readonly string[]): readonly string[] => {
  if (new Set(names).size === names.length) return names
  const last = new Map(names.map((name, i) => [name, i]))
  const taken = new Set(names)
  return names.map((name, i) => {
    if (last.get(name) === i) return name
    let other = `Field_${i}`
    // A column may have that very name.
    while (taken.has(other)) other += '_'
    taken.add(other)
    return other
  })
}
