import type { EventType } from './event-type.ts'

/** What is bought, by JSON. */
export const saleTypes: readonly EventType[] = [
  {
    name: 'AddToCart',
    weight: 40,
    way: 'json',
    payload: ({ shop, fraction }) => ({
      sessionId: shop.sessionId(),
      cartId: shop.cartId(),
      productId: shop.productId(),
      quantity: shop.quantity(),
      price: shop.price(),
      discount: shop.orNull(0.7, () => fraction(0.05, 0.5, 2)),
    }),
  },
  {
    name: 'RemoveFromCart',
    weight: 10,
    way: 'json',
    payload: ({ shop, pick }) => ({
      sessionId: shop.sessionId(),
      cartId: shop.cartId(),
      productId: shop.productId(),
      reason: shop.orNull(0.8, () => pick(['too expensive', 'found elsewhere'])),
    }),
  },
  {
    name: 'Checkout',
    weight: 16,
    way: 'json',
    payload: ({ shop, fraction, integer, pick }) => ({
      cartId: shop.cartId(),
      customerId: shop.orNull(0.3, shop.customerId),
      step: pick(['address', 'shipping', 'payment', 'review']),
      items: integer(1, 8),
      total: fraction(5, 600, 2),
      currency: shop.currency(),
      coupon: shop.orNull(0.85, () => `SPRING-${integer(100, 999)}`),
    }),
  },
  {
    name: 'Order',
    weight: 12,
    way: 'json',
    payload: ({ shop, fraction, integer, pick }) => ({
      orderId: shop.orderId(),
      customerId: shop.customerId(),
      total: fraction(5, 600, 2),
      currency: shop.currency(),
      lines: Array.from({ length: integer(1, 4) }, () => ({
        productId: shop.productId(),
        quantity: shop.quantity(),
        price: shop.price(),
      })),
      shipping: { method: pick(['standard', 'express']), country: shop.country(), zip: String(integer(1_000, 99_999)) },
      giftNote: shop.orNull(0.9, () => pick(['Happy birthday! 🎂', 'Merci, à bientôt'])),
    }),
  },
  {
    name: 'Payment',
    weight: 13,
    way: 'json',
    payload: ({ shop, chance, fraction, integer, pick }) => ({
      paymentId: `pay_${integer(0, 0xffff_ffff).toString(16).padStart(8, '0')}`,
      orderId: shop.orderId(),
      amount: fraction(5, 600, 2),
      currency: shop.currency(),
      card: shop.orNull(0.4, () => ({ brand: pick(['visa', 'mastercard']), last4: String(integer(1_000, 9_999)) })),
      isAuthorized: chance(0.96),
    }),
  },
  {
    name: 'Refund',
    weight: 2,
    way: 'json',
    payload: ({ shop, fraction, pick }) => ({
      orderId: shop.orderId(),
      amount: fraction(5, 200, 2),
      currency: shop.currency(),
      reason: pick(['damaged', 'late', 'wrong size', 'changed my mind']),
    }),
  },
  {
    name: 'Shipment',
    weight: 9,
    way: 'json',
    payload: ({ shop, fraction, integer, pick }) => ({
      orderId: shop.orderId(),
      carrier: pick(['Post', 'Kurier', 'Velo']),
      parcels: Array.from({ length: integer(1, 3) }, () => ({
        kg: fraction(0.1, 20, 3),
        isFragile: pick([true, false]),
      })),
      country: shop.country(),
    }),
  },
]
