/** Settings of the log in HDFS, each named after its key in the settings table. */
export type ReplicatedSettings = {
  /** `collector.replicated.sync`: on the disks of all data nodes that have it, or in their memory. */
  readonly sync: 'hsync' | 'hflush'
  /** `collector.replicated.replication`: data nodes that are to have it. */
  readonly replication: number
  /** `collector.replicated.min`: data nodes that have to have it before an event is acknowledged. */
  readonly min: number
  /** `collector.replicated.gather-ms`: in an object store, so long changes are gathered before they go there. */
  readonly gatherMs: number
  /** `collector.replicated.takeover-seconds`, in ms: so long a collector shows no sign of life before others take its log. */
  readonly takeoverMs: number
  /** `collector.replicated.when-unavailable`: what becomes of events while HDFS takes nothing. */
  readonly whenUnavailable: 'refuse' | 'local'
}
