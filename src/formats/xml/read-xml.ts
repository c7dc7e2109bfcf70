/**
 * XML as programs exchange it: elements and text. Comments, processing instructions and attributes are skipped.
 * Anything that could expand (a document type, entities beside the five of XML) is refused.
 */
import { FormatError } from '../../errors.ts'

/** What a document holds, in its order; `at` is the place in the text, in UTF-16 units. */
export type XmlEvents = {
  begin(name: string, at: number): void
  end(name: string, at: number): void
  /** A piece of text within an element, unescaped; several may follow each other. */
  text(content: string, at: number): void
}

/** Refuses a document: at which place, and why. */
export type FailXml = (at: number, reason: string) => never

/** The refusals of a document that people know by a name, such as that of its file. */
export const failXmlOf =
  (name: string): FailXml =>
  (at, reason) => {
    throw new FormatError(name, at, reason, { unit: 'character' })
  }

const maxDepth = 16
const elementName = /^[A-Za-z][\w.:-]*$/

/** @throws FormatError it is no such document */
export const readXml = (text: string, fail: FailXml, events: XmlEvents): void => {
  const open: string[] = []
  const begin = (name: string, at: number): void => {
    events.begin(name, at)
    if (open.push(name) > maxDepth) fail(at, 'its elements are nested too deeply')
  }
  const end = (name: string, at: number): void => {
    if (open.pop() !== name) fail(at, `</${name}>, which was not open`)
    events.end(name, at)
  }
  const add = (content: string, at: number): void => {
    if (open.length > 0) events.text(content, at)
    else if (content.trim() !== '') fail(at, 'text outside of its element')
  }
  let at = text.startsWith('\uFEFF') ? 1 : 0
  while (at < text.length) {
    const tag = text.indexOf('<', at)
    if (tag !== at) add(unescapeXml(text.slice(at, tag < 0 ? text.length : tag), at, fail), at)
    if (tag < 0) break
    const passed = passOver(text, tag, add)
    if (passed === undefined) {
      const close = findTagEnd(text, tag)
      if (close < 0) fail(tag, 'what is no XML')
      readTag(text.slice(tag + 1, close), tag, { begin, end, fail })
      at = close + 1
    } else {
      if (passed < 0) fail(tag, 'what is no XML')
      at = passed
    }
  }
  if (open.length > 0) fail(text.length, `it ends within <${open.at(-1)}>`)
}

/** The offset after markup at `at` that is not a tag; undefined at a tag, -1 if the markup has no end. */
const passOver = (text: string, at: number, add: (content: string, at: number) => void): number | undefined => {
  for (const [start, end] of [
    ['<![CDATA[', ']]>'],
    ['<!--', '-->'],
    ['<?', '?>'],
  ] as const) {
    if (!text.startsWith(start, at)) continue
    const close = text.indexOf(end, at + start.length)
    if (close >= 0 && start === '<![CDATA[') add(text.slice(at + start.length, close), at)
    return close < 0 ? -1 : close + end.length
  }
  return undefined
}

/** A tag to its end, without its `<`; a quoted value may hold what would end it. */
const restOfTag = /(?:[^<>"']|"[^"<]*"|'[^'<]*')*>/y

/** Where the tag at `at` ends; -1 where it does not. */
const findTagEnd = (text: string, at: number): number => {
  restOfTag.lastIndex = at + 1
  return restOfTag.test(text) ? restOfTag.lastIndex - 1 : -1
}

const readTag = (
  tag: string,
  at: number,
  { begin, end, fail }: { readonly begin: XmlEvents['begin']; readonly end: XmlEvents['end']; readonly fail: FailXml },
): void => {
  if (tag.startsWith('/')) {
    end(toName(tag.slice(1).trimEnd(), at, fail), at)
    return
  }
  const isEmpty = tag.endsWith('/')
  const [first = ''] = tag.split(/[\s/]/, 1)
  const name = toName(first, at, fail)
  begin(name, at)
  if (isEmpty) end(name, at)
}

const toName = (text: string, at: number, fail: FailXml): string =>
  elementName.test(text) ? text : fail(at, 'what is no XML')

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

const unescapeXml = (text: string, at: number, fail: FailXml): string =>
  text.includes('&')
    ? text.replaceAll(
        /&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(\w{1,10}));|&/g,
        (all: string, decimal?: string, hexadecimal?: string, name?: string) => {
          const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal)
          if (code <= 0x10ffff) return String.fromCodePoint(code)
          return entities[name ?? ''] ?? fail(at, `${all}, which stands for nothing here`)
        },
      )
    : text

/** A text as the content of an element. Characters that XML does not have are the caller's to leave out. */
export const escapeXml = (text: string): string =>
  text.replaceAll(/[&<>"'\t\n\r]/g, character => `&#${character.charCodeAt(0)};`)
