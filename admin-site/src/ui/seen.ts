import { useEffect, useRef, useState, type RefObject } from 'react';

/** Whether an element has been in view. Content far down a page is loaded when it comes into view. */
export function useSeen<E extends Element>(): { readonly ref: RefObject<E | null>; readonly isSeen: boolean } {
  const ref = useRef<E>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const { current: element } = ref;
    if (!element) return undefined;
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      setSeen(true);
      observer.disconnect();
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, isSeen };
}
