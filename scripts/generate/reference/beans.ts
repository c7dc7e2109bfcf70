import { toTable } from '../markdown-table.ts'
import { askServer, type JolokiaBean } from './running.ts'

/** Every bean with its attributes and operations; beans that share these are listed together. */
export const beanReference = async (): Promise<string> => {
  const { list } = await askServer()
  const beans = Object.entries(list)
    .flatMap(([domain, members]) =>
      Object.entries(members).map(([keys, bean]) => ({ name: `${domain}:${keys}`, bean })),
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  const alike = Map.groupBy(beans, ({ bean: { attr, op } }) => JSON.stringify([attr, op]))
  return [...alike.values()].map(toSection).join('\n\n')
}

type Named = { readonly name: string; readonly bean: JolokiaBean }

const toSection = (beans: readonly Named[]): string => {
  const [{ name, bean } = { name: '', bean: { desc: '' } }] = beans
  const attributes = Object.entries(bean.attr ?? {}).map(([key, { type, desc, rw }]) => [
    `\`${key}\``,
    rw ? `${toType(type)}, can be set` : toType(type),
    desc,
  ])
  const operations = Object.entries(bean.op ?? {})
    .filter(([key]) => key !== ofAll)
    .flatMap(([key, forms]) => [forms].flat().map(form => [key, form] as const))
    .map(([key, { desc, ret, args }]) => [
      `\`${key}(${args.map(one => `${one.name}: ${toType(one.type)}`).join(', ')})\``,
      toType(ret),
      desc,
    ])
  return [
    `## ${name}${beans.length === 1 ? '' : `, and ${beans.length - 1} more`}`,
    beans.length === 1
      ? bean.desc
      : toTable(
          ['Bean', ''],
          beans.map(one => [`\`${one.name}\``, one.bean.desc]),
        ),
    attributes.length === 0 ? '' : toTable(['Attribute', 'Type', ''], attributes),
    operations.length === 0 ? '' : toTable(['Operation', 'Gives', ''], operations),
  ]
    .filter(part => part !== '')
    .join('\n\n')
}

/** An operation that every bean has. */
const ofAll = 'objectName'

const toType = (type: string): string => type.slice(type.lastIndexOf('.') + 1)
