import { BeanError } from '../../../src/beans/bean-error.ts'
import { createObjectName, matchesName, parseObjectName, quoteValue } from '../../../src/beans/object-name.ts'
import { unquote } from '../../suites/unquote.ts'
import { tried } from '../tried.ts'

/** Names and patterns of beans, a pair of them per input, on two lines; the corpus holds more. */
export const name = 'object-name'

export const dictionary = ['*', '?', ':', ',', '=', '"', '\\', '\\*', '\\?', '\\"', '\\n', '*:*', 'type=', '\r']

const open = parseObjectName('*:*')

/** The canonical form means the same; every name matches itself and `*:*`; any text can be a value. */
export const run = (bytes: Uint8Array): void => {
  const text = Buffer.from(bytes).toString('utf8')
  const [first = '', second = ''] = text.split('\n')
  const names = [first, second].map(one => tried(() => parseObjectName(one), BeanError))
  for (const one of names) {
    if (!one) continue
    const again = parseObjectName(one.canonical)
    if (again.canonical !== one.canonical) throw new Error('the canonical form has another one')
    if (again.isPattern !== one.isPattern || again.isOpen !== one.isOpen) throw new Error('it is no pattern like it')
    if (!one.isPattern && !(matchesName(one, one) && matchesName(open, one))) throw new Error('it matches not itself')
  }
  const [pattern, other] = names
  if (pattern && other) matchesName(pattern, other)
  if (unquote(quoteValue(text)) !== text && !text.includes('\r')) throw new Error('a quoted value does not survive')
  const made = tried(() => createObjectName('d', { k: text }), BeanError)
  if (made && unquote(made.properties.get('k') ?? '') !== text) throw new Error('a property does not survive')
}
