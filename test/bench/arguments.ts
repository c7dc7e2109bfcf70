import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Figure, sectionOf } from './figure.ts'
import { figures } from './figures.ts'
import type { Sweep } from './sweeps/sweep.ts'
import { sweeps } from './sweeps/sweeps.ts'

/** What to measure and how, from the command line. */
export type Arguments = {
  readonly figures: readonly Figure[]
  readonly sweeps: readonly Sweep[]
  readonly sizes: boolean
  readonly seconds: number
  /** Of one point of a sweep. */
  readonly pointSeconds: number
  readonly rounds: number
  readonly gigabytes: number
  readonly dir: string
  readonly json: string | undefined
  /** Where profiles go, one directory for each figure. */
  readonly profile: string | undefined
  /** Whether to tell where the time goes in each figure. */
  readonly notes: boolean
  readonly write: boolean
  /** For Sluice, as `key=value`. */
  readonly settings: readonly string[]
  /** For another Sluice that takes the place of the baseline; undefined for none. */
  readonly against: readonly string[] | undefined
}

/** @throws RangeError, or TypeError with a code, for what is not understood */
export const parseArguments = (args: readonly string[]): Arguments => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      all: { type: 'boolean', default: false },
      sweep: { type: 'boolean', default: false },
      sizes: { type: 'boolean', default: false },
      seconds: { type: 'string', default: '5' },
      'point-seconds': { type: 'string', default: '2' },
      gigabytes: { type: 'string', default: '1' },
      rounds: { type: 'string', default: '3' },
      dir: { type: 'string', default: tmpdir() },
      json: { type: 'string' },
      profile: { type: 'string' },
      notes: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      set: { type: 'string', multiple: true, default: [] },
      against: { type: 'string', multiple: true },
    },
  })
  const { all, sweep, sizes, write } = values
  if (all && positionals.length > 0) throw new RangeError('--all measures everything; expected no names beside it')
  if (sizes && !all && positionals.length > 0) throw new RangeError('--sizes takes no names')
  const isOther = sweep || sizes
  const wantedFigures = isOther && !all ? [] : chooseFigures(positionals)
  if (write && !areWholeSections(wantedFigures)) throw new RangeError('--write needs all figures of a section')
  if (write && (values.set.length > 0 || values.against || process.env['SLUICE_TEST_CORES'] !== undefined)) {
    throw new RangeError('--write needs the default settings, and one core')
  }
  return {
    figures: wantedFigures,
    sweeps: all || sweep ? choose(sweeps, 'sweep', ({ name }) => name, positionals) : [],
    sizes: all || sizes,
    seconds: toPositive('--seconds', values.seconds),
    pointSeconds: toPositive('--point-seconds', values['point-seconds']),
    gigabytes: toPositive('--gigabytes', values.gigabytes),
    rounds: Math.ceil(toPositive('--rounds', values.rounds)),
    dir: resolve(values.dir),
    json: values.json,
    profile: values.profile === undefined ? undefined : resolve(values.profile),
    notes: values.notes,
    write,
    settings: values.set,
    against: values.against,
  }
}

/** The command that measures the same again; names no path of this machine. */
export const toCommand = ({ figures: some, sweeps: swept, sizes, write, ...rest }: Arguments): string => {
  const isAll = some.length === figures.length && swept.length === sweeps.length && sizes
  const names = swept.length > 0 && swept.length < sweeps.length ? swept.map(({ name }) => name) : []
  const ids = some.length > 0 && some.length < figures.length ? new Set(some.map(({ id }) => id)) : []
  const parts = [
    ...ids,
    ...(isAll ? ['--all'] : [...(swept.length > 0 ? ['--sweep', ...names] : []), ...(sizes ? ['--sizes'] : [])]),
    ...(some.length > 0 ? [`--seconds ${rest.seconds} --rounds ${rest.rounds} --gigabytes ${rest.gigabytes}`] : []),
    ...(swept.length > 0 ? [`--point-seconds ${rest.pointSeconds}`] : []),
    ...rest.settings.map(one => `--set ${one}`),
    ...(rest.against ?? []).map(one => `--against ${one}`),
    ...(write ? ['--write'] : []),
  ]
  return `npm run bench -- ${parts.join(' ')}`
}

/** By id, or by id and words of what they are: `A2:listed`. @throws RangeError for those that there are not */
const chooseFigures = (wanted: readonly string[]): readonly Figure[] => {
  const some = wanted.map(name => {
    const [id = '', ...words] = name.split(':')
    const found = choose(figures, 'figure', ({ id: known }) => known, [toKnown(id)])
    const fitting = found.filter(({ what }) => what.includes(words.join(':')))
    if (fitting.length > 0) return fitting
    throw new RangeError(
      `There is no figure ${name}; expected words of ${found.map(({ what }) => `"${what}"`).join(', ')}`,
    )
  })
  return wanted.length === 0 ? figures : figures.filter(figure => some.some(one => one.includes(figure)))
}

/** An id as the figures have it, whatever its case. */
const toKnown = (id: string): string =>
  figures.find(({ id: known }) => known.toLowerCase() === id.toLowerCase())?.id ?? id

/** Whether no section of the page would get some of its rows and lose the others. */
const areWholeSections = (some: readonly Figure[]): boolean => {
  const sections = new Set(some.map(sectionOf))
  return figures.every(figure => !sections.has(sectionOf(figure)) || some.includes(figure))
}

const choose = <T>(from: readonly T[], kind: string, nameOf: (one: T) => string, wanted: readonly string[]) => {
  const known = new Set(from.map(nameOf))
  const unknown = wanted.filter(name => !known.has(name))
  if (unknown.length > 0) {
    throw new RangeError(`There is no ${kind} ${unknown.join(', ')}; expected ${[...known].join(', ')}`)
  }
  return from.filter(one => wanted.length === 0 || wanted.includes(nameOf(one)))
}

const toPositive = (option: string, text: string): number => {
  const value = Number(text)
  if (!(value > 0 && value <= 3_600)) throw new RangeError(`${option} is "${text}"; expected a number above 0`)
  return value
}
