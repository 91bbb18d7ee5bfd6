using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;

namespace LicenseKey
{
    /// <summary>The options of a client. The constructor takes the required ones.</summary>
    public sealed class LicenseOptions
    {
        private readonly string baseUrl;
        private readonly long productId;
        private readonly string apiKey;
        private readonly string[] publicKeys;

        /// <param name="baseUrl">the service's URL, such as <c>https://licenses.example.com</c></param>
        /// <param name="productId">the product's <c>id</c></param>
        /// <param name="apiKey">the product's <c>api_key</c>; it ships with the app</param>
        /// <param name="publicKeys">the product's <c>public_key</c> (PEM) or its JWK set (JSON); every given key is trusted</param>
        public LicenseOptions(string baseUrl, long productId, string apiKey, params string[] publicKeys)
        {
            this.baseUrl = baseUrl ?? throw new ArgumentNullException(nameof(baseUrl));
            this.productId = productId;
            this.apiKey = apiKey ?? throw new ArgumentNullException(nameof(apiKey));
            this.publicKeys = publicKeys ?? throw new ArgumentNullException(nameof(publicKeys));
        }

        /// <summary>The product's slug: tokens for another audience are refused.</summary>
        public string? Audience { get; set; }

        /// <summary>The folder for stored data. Without it, the license is lost when the process ends.</summary>
        public string? StorageFolder { get; set; }

        /// <summary>The name of the record, if it isn't the default; set it to keep the licenses when the service's URL changes.</summary>
        public string? StorageName { get; set; }

        /// <summary>How the service recognizes this device. Default: <see cref="DeviceFingerprint.Machine"/>.</summary>
        public DeviceFingerprint Fingerprint { get; set; } = DeviceFingerprint.Machine;

        /// <summary>How long an expired token is still accepted while the service can't be asked.</summary>
        public TimeSpan Grace { get; set; }

        /// <summary>Maximum time for each of the two attempts of a request, and for each access to the storage. Default: 5 s.</summary>
        public TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(5);

        /// <summary>Pause between the two attempts of a request. Default: 500 ms.</summary>
        public TimeSpan RetryDelay { get; set; } = TimeSpan.FromMilliseconds(500);

        /// <summary>Accepts tokens that the operator issued without a device.</summary>
        public bool AllowUnboundTokens { get; set; }

        /// <summary>What <see cref="LicenseClient.Consume"/> does with an amount if the service can't be reached. Default:
        /// <see cref="OfflineUse.Refuse"/>.</summary>
        public OfflineUse Offline { get; set; }

        /// <summary>Writes warnings, for example that the license can't be stored, to the standard error of the process.</summary>
        public bool WarningsToStandardError { get; set; }

        /// <summary>The version of this build of the app. Activations and validations contain it, so that the operator sees which versions
        /// are in use.</summary>
        public string? ReleaseVersion { get; set; }

        /// <summary>When this build of the app was published.</summary>
        public DateTimeOffset? ReleasedAt { get; set; }

        internal string ToJson()
        {
            var members = new List<string?>
            {
                Member("base_url", baseUrl),
                "\"product_id\":" + productId.ToString(CultureInfo.InvariantCulture),
                Member("api_key", apiKey),
                "\"public_key\":[" + string.Join(",", publicKeys.Select(JsonObject.Quoted)) + "]",
                "\"grace_days\":" + Grace.TotalDays.ToString("R", CultureInfo.InvariantCulture),
                "\"timeout_ms\":" + Milliseconds(Timeout),
                "\"retry_delay_ms\":" + Milliseconds(RetryDelay),
                "\"allow_unbound_tokens\":" + (AllowUnboundTokens ? "true" : "false"),
                Member("audience", Audience),
                Member("storage", StorageFolder),
                Member("storage_name", StorageName),
                Fingerprint.Member,
                Offline == OfflineUse.Queue ? Member("offline", "queue") : null,
                WarningsToStandardError ? "\"warnings\":true" : null,
            };
            var release = new[] { Member("version", ReleaseVersion), Member("released_at", Timestamp(ReleasedAt)) }.Where(member => member != null).ToArray();
            if (release.Length > 0) members.Add("\"release\":{" + string.Join(",", release) + "}");
            return "{" + string.Join(",", members.Where(member => member != null)) + "}";
        }

        /// <summary>RFC 3339 in UTC, with milliseconds.</summary>
        internal static string? Timestamp(DateTimeOffset? moment) =>
            moment?.UtcDateTime.ToString("yyyy-MM-dd'T'HH:mm:ss.fff'Z'", CultureInfo.InvariantCulture);

        private static string Milliseconds(TimeSpan time) => ((long)time.TotalMilliseconds).ToString(CultureInfo.InvariantCulture);

        private static string? Member(string name, string? value) => value == null ? null : "\"" + name + "\":" + JsonObject.Quoted(value);
    }

    /// <summary>What happens to consumed amounts without a network.</summary>
    public enum OfflineUse
    {
        /// <summary>The call fails.</summary>
        Refuse,

        /// <summary>The amount is stored, and sent when the service can be reached.</summary>
        Queue,
    }

    /// <summary>How the service recognizes a device.</summary>
    public sealed class DeviceFingerprint
    {
        private DeviceFingerprint(string? member)
        {
            Member = member;
        }

        /// <summary>By the machine's id: the same in all apps on this machine.</summary>
        public static DeviceFingerprint Machine { get; } = new DeviceFingerprint(null);

        /// <summary>By a random id that the client creates once and keeps in <see cref="LicenseOptions.StorageFolder"/>.</summary>
        public static DeviceFingerprint Random { get; } = new DeviceFingerprint("\"fingerprint\":null");

        /// <summary>The option as a member of a JSON object; null for the default.</summary>
        internal string? Member { get; }

        /// <summary>By the machine's id, but different in each app (docs/client.md, "The fingerprint").</summary>
        /// <param name="slug">the product's slug</param>
        public static DeviceFingerprint ForApp(string slug) => new DeviceFingerprint("\"app_fingerprint\":" + JsonObject.Quoted(slug));

        /// <summary>By a text that the app has chosen.</summary>
        public static DeviceFingerprint Of(string text) => new DeviceFingerprint("\"fingerprint\":" + JsonObject.Quoted(text));
    }
}
