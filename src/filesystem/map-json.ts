/**
 * The replacement of a value, by the name of the member that it is, or is in a list of; the value itself where it
 * stays.
 */
export type MapValue = (value: unknown, name: string) => unknown

/** JSON with other values in the places of some; what is given stays as it is. */
export const mapJson = (json: unknown, map: MapValue, name = ''): unknown => {
  if (Array.isArray(json)) return json.map(element => mapJson(element, map, name))
  if (typeof json !== 'object' || json === null) return map(json, name)
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, mapJson(value, map, key)]))
}
