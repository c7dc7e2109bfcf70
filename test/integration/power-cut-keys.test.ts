import { expect, test } from 'vitest'
import { createWorld, seededRandom } from '../suites/crash-world.ts'

/** Runs with eight power cuts each; a release run takes more. */
const runs = Number(process.env['SLUICE_TEST_POWER_CUT_RUNS'] ?? 15)
const firstSeed = Number(process.env['SLUICE_TEST_POWER_CUT_SEED'] ?? Date.now() % 1_000_000_000)
const cutsPerRun = 8

test('R2: a key that was acknowledged is known after a power cut, and what is repeated counts once', {
  timeout: 300_000 + runs * 2_000,
}, async () => {
  let known = 0
  for (let seed = firstSeed; seed < firstSeed + runs; seed++) {
    const hint = `SLUICE_TEST_POWER_CUT_SEED=${seed} does it again`
    const random = seededRandom(seed)
    const world = await createWorld({ settings: { maxSegmentBytes: 2_000, keepCommittedMs: 0 } })
    const sent: { readonly key: string; readonly events: readonly number[] }[] = []
    const send = async (request: (typeof sent)[number]): Promise<void> => {
      const first = world.spool().recall(request.key)
      if (!first) return await world.appendEvents(request.events, request.key)
      await world.call(() =>
        first.outcome.then(
          () => {},
          () => {},
        ),
      )
    }
    for (let cut = 0; cut < cutsPerRun; cut++) {
      for (let i = 0; i < 10; i++) {
        const request = { key: `${cut}-${i}`, events: [world.client.issue(), world.client.issue()] }
        sent.push(request)
        const answered = send(request)
        world.clock.ms += Math.floor(random() * 20_000)
        const beating = random() < 0.5 ? world.beat() : undefined
        // Half of them are under way when the next one comes, and when the power goes.
        if (random() < 0.5) await Promise.all([answered, beating])
      }
      world.stop('power cut', random)
      await world.start()
      for (const { key, events } of sent) {
        const isKnown = world.spool().recall(key) !== undefined
        if (isKnown) known++
        else
          expect(
            events.filter(event => world.client.acknowledged.has(event)),
            `${hint}: ${key}`,
          ).toEqual([])
      }
      // The clients repeat everything, as those do that have not heard the answer.
      for (const request of sent) await send(request)
    }
    await world.calm()
    const { lost, twice, unknown } = await world.verdict()
    expect({ lost, twice, unknown }, hint).toEqual({ lost: [], twice: [], unknown: [] })
    expect(new Set(await world.found()).size, hint).toBe(world.client.issued)
  }
  expect(known).toBeGreaterThan(0)
  console.log(
    `power cut: ${runs * cutsPerRun} cuts from seed ${firstSeed} on, ${known} keys known after them, each request once`,
  )
})
