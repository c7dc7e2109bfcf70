import type { Command } from '@oclif/core/command'
import { commandLoaders } from '../../../admin/cli/command-loaders.ts'
import { toTable } from '../markdown-table.ts'
import { type SharedRows, shareRows } from './shared-rows.ts'

/** Every command: what it does, what it takes, and examples. */
export const cliReference = async (): Promise<string> => {
  const commands = await Promise.all(
    Object.entries(commandLoaders).map(async ([id, load]) => [id.replaceAll(':', ' '), await load()] as const),
  )
  const shown = commands.filter(([, command]) => !command.hidden)
  const shared = shareRows(
    'flags',
    ['Flag', ''],
    'Commands name those of these that they take.',
    shown.map(([, command]) => toFlagRows(command)),
  )
  return [shared.section, ...shown.map(([name, command]) => toSection(name, command, shared))].join('\n\n')
}

const toSection = (name: string, command: Command.Class, shared: SharedRows): string =>
  [
    `## sluice ${name}`,
    command.summary ?? '',
    command.description ?? '',
    `\`\`\`text\n${`sluice ${[command.usage ?? ''].flat().join(' ')}`.replace('<%= command.id %>', name)}\n\`\`\``,
    toArgumentTable(command),
    shared.toOwn(toFlagRows(command)),
    toExamples(command.examples ?? []),
  ]
    .filter(part => part !== '')
    .join('\n\n')

const toArgumentTable = ({ args }: Command.Class): string => {
  const rows = Object.entries(args).map(([name, { required, description = '' }]) => [
    `\`${name.toUpperCase()}\`${required ? '' : ' (optional)'}`,
    description,
  ])
  return rows.length === 0 ? '' : toTable(['Argument', ''], rows)
}

const toFlagRows = ({ flags, baseFlags, enableJsonFlag }: Command.Class): readonly (readonly string[])[] => {
  const rows = Object.entries({ ...flags, ...baseFlags })
    .filter(([, flag]) => !flag.hidden)
    .map(([name, flag]) => {
      const value = flag.type === 'boolean' ? '' : ` ${String(flag.helpValue ?? 'VALUE')}`
      const short = flag.char === undefined ? '' : `\`-${flag.char}\`, `
      const standard = typeof flag.default === 'function' || flag.default === undefined ? '' : String(flag.default)
      const choices = 'options' in flag && flag.options ? `one of ${flag.options.join(', ')}` : ''
      const more = [
        choices,
        flag.type === 'boolean' || standard === '' ? '' : `default \`${standard}\``,
        flag.env && `\`${flag.env}\``,
      ]
      return [
        `${short}\`--${name}${value}\``,
        [flag.summary ?? flag.description ?? '', ...more].filter(Boolean).join('; '),
      ]
    })
  if (enableJsonFlag === true && !('json' in flags)) rows.push(['`--json`', 'its data as JSON'])
  return rows
}

const toExamples = (examples: readonly Command.Example[]): string => {
  const lines = examples.map(example =>
    typeof example === 'string' ? example : `# ${example.description}\n${example.command}`,
  )
  return lines.length === 0 ? '' : `\`\`\`text\n${lines.join('\n')}\n\`\`\``
}
