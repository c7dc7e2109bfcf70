import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../../src/errors.ts'
import { escapeXml } from '../../../../src/formats/xml/read-xml.ts'
import { childrenOf, childText, parseXml } from '../../../../src/formats/xml/xml-element.ts'

test('elements, texts and what is passed over', () => {
  const text =
    '\uFEFF<?xml version="1.0"?>\n<List xmlns="a>b"><!-- <Key/> --><Key>a&amp;b<![CDATA[<&>]]>&#10;c</Key ><Empty/><Key a=\'"\'>d</Key><Size>7</Size></List>\n'
  const list = parseXml(text, 'answer')
  expect(list.name).toBe('List')
  expect(childrenOf(list, 'Key').map(key => key.text)).toEqual(['a&b<&>\nc', 'd'])
  expect(['Size', 'Empty', 'None'].map(name => childText(list, name))).toEqual(['7', '', undefined])
})

test('what was escaped is itself again', () => {
  const all = Array.from({ length: 0x2000 }, (_, at) => String.fromCharCode(at + 32)).join('')
  const given = `\t\n\r${all}\u{1f600}`
  expect(parseXml(`<a>${escapeXml(given)}</a>`, 'x').text).toBe(given)
})

describe('is refused, with the place', () => {
  test.for([
    ['', /no element at character 0/],
    ['{}', /text outside/],
    ['<a>', /ends within <a>/],
    ['<a></b>', /<\/b>, which was not open/],
    ['<a/>x', /text outside/],
    ['<!DOCTYPE a><a/>', /no XML/],
    ['<a>&x;</a>', /&x;, which stands for nothing here/],
    ['<a>&#x110000;</a>', /stands for nothing/],
    ['<a b="></a>', /no XML/],
    ['<a<b></a>', /no XML/],
    ['<1/>', /no XML/],
    ['<a><!-- </a>', /no XML at character 3/],
    ['<a>'.repeat(17), /nested too deeply/],
  ] as const)('%j', ([text, message]) => {
    expect(() => parseXml(text, 'answer')).toThrow(message)
    expect(() => parseXml(text, 'answer')).toThrow(FormatError)
  })
})
