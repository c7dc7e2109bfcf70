import type { Sealing } from './sealing.ts'

/** Several that seal as one that takes as many calls at a time: each goes to one that is idle, the last used first. */
export const poolSealings = (atOnce: number, create: () => Sealing): Sealing => {
  const idle = Array.from({ length: atOnce }, create)
  const waiting: ((sealing: Sealing) => void)[] = []
  const use = async <T>(work: (sealing: Sealing) => Promise<T>): Promise<T> => {
    const sealing = idle.pop() ?? (await new Promise<Sealing>(resolve => waiting.push(resolve)))
    try {
      return await work(sealing)
    } finally {
      const next = waiting.shift()
      if (next) next(sealing)
      else idle.push(sealing)
    }
  }
  return {
    atOnce,
    seal: request => use(({ seal }) => seal(request)),
    forget: eventName => use(({ forget }) => forget(eventName)),
  }
}
