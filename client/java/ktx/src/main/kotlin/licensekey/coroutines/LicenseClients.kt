package licensekey.coroutines

import kotlinx.coroutines.channels.awaitClose
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.callbackFlow
import kotlinx.coroutines.flow.conflate
import kotlinx.coroutines.flow.distinctUntilChanged
import kotlinx.coroutines.flow.mapNotNull
import licensekey.LicenseClient
import licensekey.State

/**
 * The license state of this device: the current one, if there is one, and then every change. A slow collector gets the newest state instead
 * of all the states in between. The flow never ends by itself.
 */
public fun LicenseClient.states(): Flow<State> =
    callbackFlow {
            val stop = subscribe { trySend(Unit) }
            trySend(Unit)
            awaitClose { stop.run() }
        }
        .conflate()
        // The collector reads the state. A state that a listener had passed on could arrive after a newer one.
        .mapNotNull { state() }
        .distinctUntilChanged()
