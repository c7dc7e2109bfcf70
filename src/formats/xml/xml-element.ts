import { failXmlOf, readXml } from './read-xml.ts'

/** An element with what is in it. */
export type XmlElement = { readonly name: string; readonly text: string; readonly children: readonly XmlElement[] }

/** @throws FormatError it is no such document */
export const parseXml = (text: string, name: string): XmlElement => {
  type Growing = { readonly name: string; text: string; readonly children: Growing[] }
  const top: Growing = { name: '', text: '', children: [] }
  const open = [top]
  const fail = failXmlOf(name)
  readXml(text, fail, {
    begin: element => {
      const begun = { name: element, text: '', children: [] }
      open.at(-1)?.children.push(begun)
      open.push(begun)
    },
    end: () => void open.pop(),
    text: content => {
      const element = open.at(-1)
      if (element) element.text += content
    },
  })
  return top.children[0] ?? fail(0, 'no element')
}

/** The elements of one name in another one. */
export const childrenOf = ({ children }: XmlElement, name: string): readonly XmlElement[] =>
  children.filter(child => child.name === name)

/** The text of the first element of a name in another one; undefined where it is missing. */
export const childText = ({ children }: XmlElement, name: string): string | undefined =>
  children.find(child => child.name === name)?.text
