import type { ReactNode } from 'react';

/** Line icons, 24 by 24. Screen readers skip them, because there is always text next to them. */
function Icon({ children, size = 18, filled = false }: { children: ReactNode; size?: number; filled?: boolean }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill={filled ? 'currentColor' : 'none'}
      stroke={filled ? 'none' : 'currentColor'}
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {children}
    </svg>
  );
}

interface Size {
  readonly size?: number;
}
const icon = (children: ReactNode, filled = false) =>
  function NamedIcon({ size }: Size) {
    return (
      <Icon {...(size !== undefined && { size })} filled={filled}>
        {children}
      </Icon>
    );
  };

export const KeyIcon = icon(
  <>
    <circle cx="8" cy="14" r="4.5" />
    <path d="m11.300 10.700 8.200-8.200M16 6l3 3M13.5 8.500l2 2" />
  </>,
);
export const SearchIcon = icon(
  <>
    <circle cx="11" cy="11" r="6.5" />
    <path d="m16 16 4.5 4.5" />
  </>,
);
export const CopyIcon = icon(
  <>
    <rect x="9" y="9" width="11" height="11" rx="2" />
    <path d="M5 15H4.500A1.5 1.5 0 0 1 3 13.500v-9A1.5 1.5 0 0 1 4.5 3h9A1.5 1.5 0 0 1 15 4.500V5" />
  </>,
);
export const CheckIcon = icon(<path d="m5 12.5 4.5 4.500L19 7.5" />);
export const PlusIcon = icon(<path d="M12 5v14M5 12h14" />);
export const BoxIcon = icon(<path d="M12 3 4 7v10l8 4 8-4V7l-8-4Zm0 9 8-5M12 12 4 7M12 12v9" />);
export const ChartIcon = icon(<path d="M4 20V10M10 20V4M16 20v-7M21 20H3" />);
export const LayersIcon = icon(<path d="m12 3 9 5-9 5-9-5 9-5Zm-9 9.5 9 5 9-5M3 16.500l9 5 9-5" />);
export const WebhookIcon = icon(<path d="M13 3 5 14h6l-1 7 9-12h-6.500L13 3Z" />);
export const PlugIcon = icon(<path d="M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0V8Zm6 9v4" />);
export const MailIcon = icon(
  <>
    <rect x="3" y="5" width="18" height="14" rx="2" />
    <path d="m4 7 8 6 8-6" />
  </>,
);
export const BookIcon = icon(<path d="M12 6c-2-1.5-4.5-2-8-2v14c3.5 0 6 .5 8 2 2-1.5 4.5-2 8-2V4c-3.5 0-6 .5-8 2Zm0 0v14" />);
export const ExitIcon = icon(<path d="M10 4H6a2 2 0 0 0-2 2v12a2 2 0 0 0 2 2h4M15 8l4 4-4 4M19 12H9" />);
export const MenuIcon = icon(<path d="M4 7h16M4 12h16M4 17h16" />);
export const CloseIcon = icon(<path d="M6 6l12 12M18 6 6 18" />);
export const MoreIcon = icon(<path d="M5 12h.01M12 12h.01M19 12h.01" strokeWidth="3" />);
export const SwitchIcon = icon(<path d="m8 9 4-4 4 4M8 15l4 4 4-4" />);
export const SunIcon = icon(
  <>
    <circle cx="12" cy="12" r="4" />
    <path d="M12 2v2.500M12 19.500V22M2 12h2.500M19.500 12H22M5 5l1.700 1.700M17.300 17.300 19 19M5 19l1.700-1.700M17.300 6.700 19 5" />
  </>,
);
export const MoonIcon = icon(<path d="M20 14.500A8.500 8.500 0 0 1 9.500 4a8.500 8.500 0 1 0 10.500 10.500Z" />);
export const ScreenIcon = icon(
  <>
    <rect x="3" y="4" width="18" height="12" rx="2" />
    <path d="M8 20h8M12 16v4" />
  </>,
);
export const RowsIcon = icon(<path d="M4 6h16M4 10h16M4 14h16M4 18h16" />);
export const EditIcon = icon(<path d="m4 20 1-4.500L16 4.500a2.100 2.100 0 0 1 3 3L8 18.500 4 20ZM14 6.500l3 3" />);
export const PauseIcon = icon(<path d="M8 5v14M16 5v14" />);
export const PlayIcon = icon(<path d="M7 4.500v15l12-7.500-12-7.500Z" />);
export const DownloadIcon = icon(<path d="M12 4v11M7 11l5 5 5-5M4 20h16" />);
export const UploadIcon = icon(<path d="M12 16V5M7 9l5-5 5 5M4 20h16" />);
export const FilterIcon = icon(<path d="M4 5h16l-6 8v6l-4-2v-4L4 5Z" />);
export const CardIcon = icon(
  <>
    <rect x="3" y="5" width="18" height="14" rx="2" />
    <path d="M3 10h18M7 15h4" />
  </>,
);
export const HistoryIcon = icon(<path d="M4 4v5h5M4.500 9A8 8 0 1 1 4 13M12 8v4.500l3 2" />);
export const LeftIcon = icon(<path d="m14 6-6 6 6 6" />);
export const RightIcon = icon(<path d="m10 6 6 6-6 6" />);
export const RefreshIcon = icon(<path d="M20 11a8 8 0 1 0-2.300 6.300M20 5v6h-6" />);
export const WarningIcon = icon(<path d="M12 4 2.5 20h19L12 4Zm0 6v4.500M12 17.300v.2" />);
export const InfoIcon = icon(
  <>
    <circle cx="12" cy="12" r="9" />
    <path d="M12 11v5.500M12 7.700v.2" />
  </>,
);
export const EyeIcon = icon(
  <>
    <path d="M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12Z" />
    <circle cx="12" cy="12" r="2.800" />
  </>,
);
export const TrashIcon = icon(<path d="M4 7h16M9 7V4h6v3M6.5 7l1 13h9l1-13M10 11v5M14 11v5" />);
export const SendIcon = icon(<path d="m4 12 16-8-5 17-4-7-7-2Zm7 2 9-10" />);
export const ClockIcon = icon(
  <>
    <circle cx="12" cy="12" r="9" />
    <path d="M12 7v5l3.5 2" />
  </>,
);
export const SeatIcon = icon(
  <>
    <rect x="3" y="4.5" width="18" height="12" rx="2" />
    <path d="M8 20.500h8M12 16.500v4" />
  </>,
);
export const StopIcon = icon(
  <>
    <circle cx="12" cy="12" r="9" />
    <path d="M6 6l12 12" />
  </>,
);
export const TokenIcon = icon(<path d="M12 3 5 6v5c0 4.800 3 8.300 7 10 4-1.700 7-5.200 7-10V6l-7-3Zm-3 9 2.200 2.200L15.5 10" />);

const windows = icon(
  <path d="M3 5.5 10.700 4.400v7.200H3V5.500Zm0 13 7.700 1.100v-7.200H3v6.100ZM11.700 4.300 21 3v8.600h-9.300V4.300Zm0 15.400L21 21v-8.600h-9.300v7.300Z" />,
  true,
);
const apple = icon(
  <path d="M16.400 12.600c0-2.300 1.900-3.400 2-3.5-1.100-1.600-2.800-1.800-3.400-1.800-1.400-.2-2.800.8-3.5.8-.8 0-1.900-.8-3.100-.8C6.800 7.300 5.300 8.200 4.5 9.600c-1.700 2.900-.4 7.200 1.200 9.600.8 1.200 1.800 2.5 3 2.400 1.200 0 1.700-.8 3.100-.8 1.5 0 1.900.8 3.200.8 1.300 0 2.200-1.200 3-2.300.9-1.400 1.300-2.700 1.300-2.800 0 0-2.900-1.100-2.900-3.900ZM14.200 5.700c.6-.8 1.100-1.900 1-3-1 0-2.100.7-2.800 1.5-.6.7-1.200 1.800-1 2.900 1.100.1 2.200-.6 2.800-1.400Z" />,
  true,
);
const linux = icon(
  <>
    <path d="M8.5 9.500C8 12 5.5 14.5 5.5 18c0 1 .5 2 1.5 2.500M15.5 9.500c.5 2.5 3 5 3 8.5 0 1-.5 2-1.5 2.5" />
    <path d="M8.5 9.500V6.500a3.5 3.5 0 0 1 7 0v3M10.200 7.500v.2M13.800 7.500v.2M10.5 10.5 12 11.500l1.5-1M4 20.500l3.5-2 2 2.500H5zM20 20.500l-3.5-2-2 2.500H19zM9.5 20.500h5" />
  </>,
);
const phone = icon(
  <>
    <rect x="7" y="2.5" width="10" height="19" rx="2" />
    <path d="M11 18.500h2" />
  </>,
);
const globe = icon(
  <>
    <circle cx="12" cy="12" r="9" />
    <path d="M3 12h18M12 3c3 3 3.5 6 3.5 9S15 18 12 21c-3-3-3.5-6-3.5-9S9 6 12 3Z" />
  </>,
);

const platforms: readonly (readonly [RegExp, typeof windows])[] = [
  [/ios|iphone|ipad|android/i, phone],
  [/darwin|mac|os ?x/i, apple],
  [/win/i, windows],
  [/linux|ubuntu|debian|fedora|bsd/i, linux],
  [/web|browser|chrome|firefox|safari/i, globe],
];

/** The icon for a device's platform, which the client app sent as free text. */
export function PlatformIcon({ platform }: { platform: string }) {
  const Known = platforms.find(([pattern]) => pattern.test(platform))?.[1] ?? SeatIcon;
  return <Known size={20} />;
}

export const PackageIcon = icon(
  <>
    <path d="m12 3 8 4.500v9L12 21l-8-4.500v-9z" />
    <path d="m4 7.500 8 4.500 8-4.500M12 12v9M8 5.250l8 4.500" />
  </>,
);
