import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import type { BeanInfo } from '../../../client/types.ts'
import { listBeans } from '../../lib/beans.ts'
import { RpcCommand } from '../../lib/server-command.ts'
import { style } from '../../lib/style.ts'
import { toSafeText } from '../../lib/text-width.ts'

export class BeansList extends RpcCommand {
  static override readonly summary = 'List what can be watched and steered: beans with their attributes and operations.'
  static override readonly examples = [
    'sluice beans list',
    "sluice beans list '*:name=HDFSWriter'",
    'sluice beans list --long',
    'sluice beans list --json',
  ]
  static override readonly args = { pattern: Args.string({ description: 'a name or a pattern' }) }
  static override readonly flags = {
    long: Flags.boolean({ char: 'l', summary: 'with every attribute and operation', default: false }),
  }

  async run(): Promise<{ readonly beans: readonly BeanInfo[] }> {
    const { args, flags } = await this.parse(BeansList)
    const beans = await listBeans(await this.rpc(flags), args.pattern)
    if (flags.long) for (const bean of beans) this.log(toLongText(bean))
    else
      this.table(beans, [
        { title: 'BEAN', cell: bean => bean.mbean, flexible: true },
        { title: 'ATTRIBUTES', cell: bean => String(Object.keys(bean.attributes).length), align: 'right' },
        { title: 'OPERATIONS', cell: bean => String(Object.keys(bean.operations).length), align: 'right' },
        { title: 'DESCRIPTION', cell: bean => bean.description, flexible: true },
      ])
    return { beans }
  }
}

const toLongText = ({ mbean, description, attributes, operations }: BeanInfo): string =>
  [
    style('bold', toSafeText(mbean)),
    `  ${toSafeText(description)}`,
    ...Object.entries(attributes).map(
      ([name, { type, writable, description: text }]) =>
        `  ${name}: ${type}${writable ? ' (writable)' : ''}  ${style('dim', toSafeText(text))}`,
    ),
    ...Object.entries(operations).map(([name, { arguments: args, returns, description: text }]) => {
      const list = args.map(arg => `${arg.name}: ${arg.type}`).join(', ')
      return `  ${name}(${list}): ${returns}  ${style('dim', toSafeText(text))}`
    }),
    '',
  ].join('\n')
