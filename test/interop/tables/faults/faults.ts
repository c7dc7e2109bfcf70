/** Faults by chance, on each collector and on what they have in common, until there were enough. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Sluice } from '../../../suites/sluice-process.ts'
import type { Answer, Gate } from './gate.ts'

export type Fault = {
  readonly name: string
  /** How often it is chosen, against others. */
  readonly weight: number
  /** @returns whether it came about: what is waited for may not come */
  readonly carryOut: () => Promise<boolean>
}

export type FaultsOptions = {
  readonly collectors: readonly Sluice[]
  /** One for each collector. */
  readonly gates: readonly Gate[]
  /** What a step of a commit may meet, beside a kill and a stop. */
  readonly answers: readonly Answer[]
  /** Faults of what they have in common, by their names. */
  readonly common: Readonly<Record<string, Fault['carryOut']>>
  /** Before each of these, at most. @default 8 s */
  readonly commonRestMs?: number
  readonly random: () => number
  readonly count: number
  readonly log: (line: string) => void
}

/** A commit takes some dozens of steps. */
const maxSteps = 30
const restMs = 200
const usualCommonRestMs = 8_000
const stopMs = 2_500
const answersWeight = 10
const progressEvery = 50

/** @returns how many faults of each kind there were */
export const carryOutFaults = async (options: FaultsOptions): Promise<Readonly<Record<string, number>>> => {
  const { collectors, gates, common, commonRestMs = usualCommonRestMs, random, count, log } = options
  const done: Record<string, number> = {}
  let total = 0

  const goOn = async (faults: readonly Fault[], rest: number): Promise<void> => {
    const lots = faults.flatMap(fault => Array.from({ length: fault.weight }, () => fault))
    while (total < count) {
      await pause(random() * rest)
      const fault = pick(random, lots)
      if (!fault) return
      if (!(await fault.carryOut())) continue
      done[fault.name] = (done[fault.name] ?? 0) + 1
      if (++total % progressEvery === 0) log(`${total} faults: ${JSON.stringify(done)}`)
    }
  }
  const ofAll = Object.entries(common).map(([name, carryOut]) => ({ name, weight: 1, carryOut }))
  const ofEach = collectors.map((sluice, place) => {
    const gate = gates[place]
    return gate ? goOn(faultsOf(sluice, gate, options), restMs) : undefined
  })
  await Promise.all([...ofEach, goOn(ofAll, commonRestMs)])
  return done
}

const pick = <T>(random: () => number, all: readonly T[]): T | undefined => all[Math.floor(random() * all.length)]

const faultsOf = (
  sluice: Sluice,
  gate: Gate,
  { answers, random }: Pick<FaultsOptions, 'answers' | 'random'>,
): readonly Fault[] => {
  const meet = (answer: () => Answer | Promise<Answer>): Promise<boolean> =>
    gate.meet(Math.floor(random() * maxSteps), answer)
  const kills: readonly Fault[] = [
    {
      name: 'killed at any moment',
      weight: 2,
      carryOut: async () => {
        await sluice.kill()
        await sluice.start()
        return true
      },
    },
    {
      name: 'killed at a step',
      weight: 3,
      carryOut: async () => {
        const isMet = await meet(async () => {
          await sluice.kill()
          return pick<Answer>(random, ['cut before', 'cut behind', 'held']) ?? 'held'
        })
        if (isMet) await sluice.start()
        return isMet
      },
    },
    {
      name: 'stopped at a step',
      weight: 2,
      carryOut: async () => {
        const isMet = await meet(() => {
          sluice.pause()
          return 'passes'
        })
        if (isMet) await pause(random() * stopMs)
        sluice.resume()
        return isMet
      },
    },
  ]
  // Meanwhile others commit.
  const late: Fault = {
    name: 'step that takes long',
    weight: 2,
    carryOut: () => meet(() => pause(random() * stopMs, 'passes')),
  }
  const met = answers.map(answer => ({
    name: typeof answer === 'string' ? answer : `${answer.status}${answer.behind ? ' behind' : ''}`,
    weight: Math.max(Math.round(answersWeight / answers.length), 1),
    carryOut: () => meet(() => answer),
  }))
  // On local files there is no network in between: a visible change has been made.
  return [...kills, ...(answers.length > 0 ? [late] : []), ...met]
}
