/**
 * The properties of one file of Hadoop's configuration, of which XML is only the clothing:
 *
 *     <configuration>  <property> <name>…</name> <value>…</value> </property> …  </configuration>
 *
 * Comments, processing instructions, other elements of a property and attributes are passed over. What could stand for
 * something else (a document type, entities beside the five of XML, inclusions) is refused.
 */
import { FormatError } from '../../../errors.ts'

/** Most characters of one file; those of large clusters have a tenth of it. */
export const maxConfigurationLength = 4 * 1024 * 1024

/** A piece of XML: text, the begin or end of an element, or what is passed over. */
const piece =
  /(?<text>[^<]+)|<!\[CDATA\[(?<cdata>[\s\S]*?)\]\]>|<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<(?<end>\/?)(?<name>[A-Za-z][\w.:-]*)(?<attributes>(?:[^<>"']|"[^"<]*"|'[^'<]*')*)>/y

/** @throws FormatError it is no such file; with the place */
export const parseProperties = (text: string, file: string): ReadonlyMap<string, string> => {
  const properties = new Map<string, string>()
  const open: string[] = []
  let property = new Map<string, string>()
  const fail = (at: number, reason: string): never => {
    throw new FormatError(file, at, reason)
  }
  if (text.length > maxConfigurationLength) fail(maxConfigurationLength, 'it is longer than any configuration')
  const begin = (name: string, at: number): void => {
    if (open.length === 0 && name !== 'configuration') fail(at, `<${name}>, where <configuration> was expected`)
    if (name === 'include' || name.endsWith(':include')) fail(at, 'it includes another file, which is not followed')
    open.push(name)
    if (open.length > 16) fail(at, 'its elements are nested too deeply')
    if (name === 'property') property = new Map()
    if (open.length === 3 && open[1] === 'property') property.set(name, property.get(name) ?? '')
  }
  const end = (name: string, at: number): void => {
    if (open.pop() !== name) fail(at, `</${name}>, which was not open`)
    if (open.length !== 1 || name !== 'property') return
    const [key, value] = [property.get('name'), property.get('value')]
    if (key !== undefined && value !== undefined) properties.set(key.trim(), value.trim())
  }
  const add = (content: string, at: number): void => {
    const [, parent, name] = open
    if (parent === 'property' && name !== undefined && open.length === 3) {
      property.set(name, (property.get(name) ?? '') + content)
    } else if (content.trim() !== '' && open.length === 0) fail(at, 'text outside of <configuration>')
  }
  piece.lastIndex = 0
  for (let at = text.startsWith('\uFEFF') ? 1 : 0; at < text.length; at = piece.lastIndex) {
    piece.lastIndex = at
    const { groups } = piece.exec(text) ?? fail(at, 'what is no XML of a configuration')
    const { text: plain, cdata, name, end: isEnd, attributes = '' } = groups ?? {}
    if (plain !== undefined) add(unescapeXml(plain, at, fail), at)
    else if (cdata !== undefined) add(cdata, at)
    else if (name !== undefined && isEnd !== '') end(name, at)
    else if (name !== undefined) {
      begin(name, at)
      if (attributes.endsWith('/')) end(name, at)
    }
  }
  if (open.length > 0) fail(text.length, `it ends within <${open.at(-1)}>`)
  return properties
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

const unescapeXml = (text: string, at: number, fail: (at: number, reason: string) => never): string =>
  text.replaceAll(
    /&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(\w{1,10}));|&/g,
    (all: string, decimal?: string, hexadecimal?: string, name?: string) => {
      const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal)
      if (code <= 0x10ffff) return String.fromCodePoint(code)
      return entities[name ?? ''] ?? fail(at, `${all}, which stands for nothing here`)
    },
  )
