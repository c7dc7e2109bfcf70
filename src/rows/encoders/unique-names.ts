/**
 * Names of a row's columns for an encoder that can use each name once: of two columns with one name the later keeps
 * it, and the earlier is called `Field_<its position>`, as old clients know it.
 */
export const toUniqueNames = (names: readonly string[]): readonly string[] => {
  if (new Set(names).size === names.length) return names
  return names.map((name, index) => (names.lastIndexOf(name) === index ? name : `Field_${index}`))
}
