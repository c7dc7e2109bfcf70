import type { Value } from '../../src/formats/number.ts'

/** An event as a web site of 2012 sent it: 14 values, a third of them different in each event. */
export const createOldEvent = (i: number): Value => ({
  eventName: ['PageView', 'Click', 'FrontDoorVisit'][i % 3] ?? '',
  payload: {
    eventDate: 1_325_376_000_000 + i * 137,
    eventGranularity: 'HOURLY',
    host: `www${i % 20}.example.org`,
    path: `/groups/${(i * 7919) % 5000}/forum/topics?page=${i % 9}`,
    referrer: `http://www.example.org/search?q=term${i % 700}`,
    ua: ['Mozilla/5.0 (Windows NT 6.1; WOW64; rv:9.0) Firefox/9.0', 'Mozilla/5.0 (Macintosh) Safari/534'][i % 2] ?? '',
    ip: (i * 2_654_435_761) % 2 ** 32,
    visitor: `${((i * 104_729) % 2 ** 31).toString(36)}${i.toString(36)}`,
    memberCount: i % 2500,
    isMember: i % 3 === 0,
    load: (i % 977) + 0.25,
    section: `section-${i % 40}`,
  },
})
