import type { EventType } from './event-type.ts'

/** What customers do besides, by JSON. */
export const customerTypes: readonly EventType[] = [
  {
    name: 'Login',
    weight: 30,
    way: 'json',
    payload: ({ shop, chance, integer, pick }) => ({
      customerId: shop.customerId(),
      method: pick(['password', 'passkey', 'single sign-on']),
      attempts: chance(0.9) ? 1 : integer(2, 5),
      isSuccessful: chance(0.93),
      address: `203.0.113.${integer(1, 254)}`,
    }),
  },
  {
    name: 'SignUp',
    weight: 4,
    way: 'json',
    payload: ({ shop, chance, pick }) => ({
      customerId: shop.customerId(),
      country: shop.country(),
      wantsNewsletter: chance(0.3),
      cameFrom: shop.orNull(0.5, () => pick(['friend', 'advertisement', 'search'])),
    }),
  },
  {
    name: 'Review',
    weight: 5,
    way: 'json',
    payload: ({ shop, integer, pick, some }) => ({
      customerId: shop.customerId(),
      productId: shop.productId(),
      stars: integer(1, 5),
      text: pick(['Very good.', 'Nicht wie beschrieben', 'Parfait !\nJe recommande.', '']),
      tags: some(['gift', 'quality', 'price', 'delivery'], 3),
    }),
  },
  {
    name: 'Newsletter',
    weight: 14,
    way: 'json',
    payload: ({ shop, chance, integer, pick }) => ({
      messageId: `<${integer(1, 999_999)}@mail.example>`,
      customerId: shop.customerId(),
      template: pick(['weekly', 'basket-reminder', 'sale']),
      isOpened: chance(0.4),
      link: shop.orNull(0.8, shop.path),
    }),
  },
]
