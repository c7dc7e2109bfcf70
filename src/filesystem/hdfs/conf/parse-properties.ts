/**
 * The properties of one file of Hadoop's configuration, of which XML is only the clothing:
 *
 *     <configuration>  <property> <name>…</name> <value>…</value> </property> …  </configuration>
 *
 * Other elements of a property are skipped; an inclusion is refused.
 */
import { failXmlOf, readXml } from '../../../formats/xml/read-xml.ts'

/** Most characters of one file; those of large clusters have a tenth of it. */
export const maxConfigurationLength = 4 * 1024 * 1024

/** @throws FormatError it is no such file; with the place */
export const parseProperties = (text: string, file: string): ReadonlyMap<string, string> => {
  const properties = new Map<string, string>()
  const open: string[] = []
  let property = new Map<string, string>()
  const fail = failXmlOf(file)
  if (text.length > maxConfigurationLength) fail(maxConfigurationLength, 'it is longer than any configuration')
  readXml(text, fail, {
    begin: (name, at) => {
      if (open.length === 0 && name !== 'configuration') fail(at, `<${name}>, where <configuration> was expected`)
      if (name === 'include' || name.endsWith(':include')) fail(at, 'it includes another file, which is not followed')
      open.push(name)
      if (name === 'property') property = new Map()
      if (open.length === 3 && open[1] === 'property') property.set(name, property.get(name) ?? '')
    },
    end: name => {
      open.pop()
      if (open.length !== 1 || name !== 'property') return
      const [key, value] = [property.get('name'), property.get('value')]
      if (key !== undefined && value !== undefined) properties.set(key.trim(), value.trim())
    },
    text: content => {
      const [, parent, name] = open
      if (parent === 'property' && name !== undefined && open.length === 3) {
        property.set(name, (property.get(name) ?? '') + content)
      }
    },
  })
  return properties
}
