import type { ArgInput, FlagInput } from '@oclif/core/interfaces'

/** The line below USAGE: arguments, then the command's own flags; dots only after those that may be repeated. */
export const toUsage = (args: ArgInput, flags: FlagInput, hasJson: boolean): string => {
  const words = Object.entries(args).map(([name, { required, multiple }]) => {
    const word = `${name.toUpperCase()}${multiple ? '...' : ''}`
    return required ? word : `[${word}]`
  })
  const options = Object.entries(flags)
    .filter(([, { hidden }]) => !hidden)
    .map(([name, flag]) => {
      const value = flag.type === 'option' ? ` ${String(flag.helpValue ?? 'VALUE')}${flag.multiple ? '...' : ''}` : ''
      const option = `${flag.char ? `-${flag.char}` : `--${name}`}${value}`
      return { option, required: flag.required ?? false }
    })
  return [
    '<%= command.id %>',
    ...words,
    ...options.filter(({ required }) => required).map(({ option }) => option),
    ...options.filter(({ required }) => !required).map(({ option }) => `[${option}]`),
    ...(hasJson ? ['[--json]'] : []),
  ].join(' ')
}
