import { SluiceError } from '../errors.ts'
import { checkEventName } from '../spool/bucket.ts'
import type { Broker } from './brokers/broker.ts'
import type { LinkOptions } from './link.ts'
import type { LaneFigures, TypeLane, TypeLaneOptions } from './type-lane.ts'

/** Most event types that can be forwarded. */
export const maxTypes = 1_000

/** The event types that are forwarded, each on a lane of its own. */
export type TypeLanes = {
  readonly size: number
  find(type: string): TypeLane | undefined
  /** Whether it was new. @throws SluiceError `bad-event-name`; `bad-parameter` beyond {@link maxTypes} */
  readonly add: (type: string) => boolean
  /** Whether it was there; what waited is given up. */
  readonly remove: (type: string) => boolean
  /**
   * Looks whether these types can take the place of those that are forwarded.
   * @returns what makes it so; a type that stays keeps what waits
   * @throws SluiceError as {@link TypeLanes.add}
   */
  readonly prepare: (types: readonly string[]) => () => void
  /** Whether one of them, or one that was removed, has events that are to be decoded. */
  areHungry(): boolean
  /** There is a connection again. */
  wake(): void
  readonly figures: () => readonly LaneFigures[]
}

export type TypeLanesOptions = {
  readonly broker: Pick<Broker, 'toTopic'>
  readonly log: Pick<LinkOptions['log'], 'warn'>
  readonly open: (place: Pick<TypeLaneOptions, 'type' | 'topic' | 'isEscaped'>) => TypeLane
}

/** No type is forwarded yet. */
export const createTypeLanes = ({ broker, log, open }: TypeLanesOptions): TypeLanes => {
  const lanes = new Map<string, TypeLane>()
  /** Removed, with events that are still to be given up. */
  const leaving = new Set<TypeLane>()

  const toTopic = (type: string): { readonly topic: string; readonly isEscaped: boolean } => {
    const others = Array.from(lanes.values(), lane => lane.figures().topic)
    const topic = broker.toTopic(type, others)
    const isEscaped = topic !== broker.toTopic(type)
    if (isEscaped) {
      log.warn(
        { type, topic },
        'the topics of two event types would differ only in "." and "_", which Kafka refuses: this type gets another topic name',
      )
    }
    return { topic, isEscaped }
  }
  const add = (type: string): boolean => {
    checkEventName(type)
    if (lanes.has(type)) return false
    if (lanes.size >= maxTypes) throw tooManyTypes()
    lanes.set(type, open({ type, ...toTopic(type) }))
    return true
  }
  const remove = (type: string): boolean => {
    const lane = lanes.get(type)
    lane?.close()
    if (lane?.isHungry()) leaving.add(lane)
    return lanes.delete(type)
  }
  return {
    get size() {
      return lanes.size
    },
    find: type => lanes.get(type),
    add,
    remove,
    prepare(types) {
      types.forEach(checkEventName)
      const wanted = new Set(types)
      if (wanted.size > maxTypes) throw tooManyTypes()
      return () => {
        for (const type of lanes.keys()) if (!wanted.has(type)) remove(type)
        for (const type of wanted) add(type)
      }
    },
    areHungry() {
      for (const lane of leaving) if (!lane.isHungry()) leaving.delete(lane)
      return leaving.size > 0 || lanes.values().some(lane => lane.isHungry())
    },
    wake() {
      for (const lane of lanes.values()) lane.wake()
    },
    figures: () => Array.from(lanes.values(), lane => lane.figures()),
  }
}

const tooManyTypes = (): SluiceError =>
  new SluiceError('bad-parameter', `At most ${maxTypes} event types can be forwarded`)
