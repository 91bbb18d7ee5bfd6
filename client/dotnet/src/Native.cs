using System;
using System.Runtime.InteropServices;
using System.Text;

namespace LicenseKey
{
    /// <summary>The functions of the C library (client/c/include/license_key_client.h).</summary>
    internal static class Native
    {
        private const string Library = "license_key_client";

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] internal static extern IntPtr lks_version();
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] internal static extern IntPtr lks_open(byte[] options, out IntPtr error);
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] internal static extern IntPtr lks_check(ClientHandle client);
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] internal static extern IntPtr lks_validate(ClientHandle client);
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] internal static extern IntPtr lks_activate(ClientHandle client, byte[] key, byte[]? name, byte[]? platform, byte[]? replace);
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] internal static extern IntPtr lks_sign_in_begin(ClientHandle client, byte[]? name, byte[]? platform);
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] internal static extern IntPtr lks_sign_in_wait(ClientHandle client);
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] internal static extern void lks_sign_in_cancel(ClientHandle client);
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] internal static extern IntPtr lks_trial(ClientHandle client, byte[]? name, byte[]? platform, byte[]? customerEmail);
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] internal static extern IntPtr lks_deactivate(ClientHandle client);
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] internal static extern IntPtr lks_forget(ClientHandle client);
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] internal static extern IntPtr lks_devices(ClientHandle client, byte[]? key);
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] internal static extern IntPtr lks_release_device(ClientHandle client, byte[] reference, byte[]? key);
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] internal static extern IntPtr lks_latest(ClientHandle client, byte[]? platform, byte[]? arch, byte[]? channel, byte[]? version);
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] internal static extern IntPtr lks_consume(ClientHandle client, byte[] meter, long amount, byte[]? id);
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] internal static extern IntPtr lks_meters(ClientHandle client);
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] internal static extern IntPtr lks_pending(ClientHandle client);
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] internal static extern IntPtr lks_offline_request(ClientHandle client, byte[] key, byte[]? name, byte[]? platform);
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] internal static extern IntPtr lks_import_token(ClientHandle client, byte[] token);
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] internal static extern IntPtr lks_state_json(ClientHandle client);
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] internal static extern ulong lks_changes(ClientHandle client);
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] [return: MarshalAs(UnmanagedType.I1)] internal static extern bool lks_is_licensed(ClientHandle client);
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] [return: MarshalAs(UnmanagedType.I1)] internal static extern bool lks_has(ClientHandle client, byte[] feature);
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] internal static extern long lks_limit(ClientHandle client, byte[] name);
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] [return: MarshalAs(UnmanagedType.I1)] internal static extern bool lks_covers(ClientHandle client, byte[]? version, byte[]? releasedAt);
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] internal static extern void lks_idle(ClientHandle client);
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] internal static extern void lks_close(ClientHandle client, [MarshalAs(UnmanagedType.I1)] bool release);
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] internal static extern void lks_client_free(IntPtr client);
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)] internal static extern void lks_string_free(IntPtr text);

        /// <summary>A text in the form that the library reads: UTF-8 with a zero byte at its end.</summary>
        /// <exception cref="ArgumentException">The text contains U+0000, which ends a text in C, or half of a surrogate pair.</exception>
        internal static byte[] Utf8(string text)
        {
            if (Problem(text) is string problem) throw new ArgumentException("A text " + problem + ".");
            return Encoding.UTF8.GetBytes(text + "\0");
        }

        /// <summary>Like <see cref="Utf8"/>; null stays null.</summary>
        internal static byte[]? OptionalUtf8(string? text) => text == null ? null : Utf8(text);

        /// <summary>Why a text can't be passed to the library; null if it can.</summary>
        internal static string? Problem(string text)
        {
            if (text.IndexOf('\0') >= 0) return "must not contain control characters";
            for (var place = 0; place < text.Length; place += 1)
            {
                if (char.IsSurrogatePair(text, place)) place += 1;
                else if (char.IsSurrogate(text[place])) return "must not contain lone surrogates";
            }
            return null;
        }

        /// <summary>Reads the text at a pointer; null if the pointer is zero. The library still owns the text.</summary>
        internal static string? Read(IntPtr text)
        {
            if (text == IntPtr.Zero) return null;
            var length = 0;
            while (Marshal.ReadByte(text, length) != 0) length += 1;
            var bytes = new byte[length];
            Marshal.Copy(text, bytes, 0, length);
            return Encoding.UTF8.GetString(bytes);
        }

        /// <summary>Copies a text that the library returned, and frees the original.</summary>
        internal static string? Take(IntPtr text)
        {
            try
            {
                return Read(text);
            }
            finally
            {
                lks_string_free(text);
            }
        }
    }

    /// <summary>A client of the library. It is freed when it is no longer used, and never during a call.</summary>
    internal sealed class ClientHandle : SafeHandle
    {
        internal ClientHandle(IntPtr client) : base(IntPtr.Zero, true)
        {
            SetHandle(client);
        }

        public override bool IsInvalid => handle == IntPtr.Zero;

        protected override bool ReleaseHandle()
        {
            Native.lks_client_free(handle);
            return true;
        }
    }
}
